"""What the official Python client does alike over every transport."""

from mcp import Client
from mcp.types import PromptReference, TextContent, TextResourceContents


async def read_and_prompted(client: Client) -> None:
    """List and read resources, get a prompt, complete an argument."""
    listed = [str(one.uri) for one in (await client.list_resources()).resources]
    forms = (await client.list_resource_templates()).resource_templates
    (folder,) = (await client.read_resource("vault:///")).contents
    prompts = [one.name for one in (await client.list_prompts()).prompts]
    asked = {"question": "免責は?", "manual": "m"}
    (message,) = (await client.get_prompt("cross_check", asked)).messages
    ref = PromptReference(type="ref/prompt", name="cross_check")
    offered = (await client.complete(ref, {"name": "manual", "value": ""})).completion

    assert "vault:///" in listed
    assert [one.uri_template for one in forms] == [
        "manual://{manual_id}/{+path}",
        "vault:///{+path}",
    ]
    assert isinstance(folder, TextResourceContents)
    assert folder.mime_type == "text/markdown"
    assert prompts == ["grounded_answer", "exhaustive_audit", "cross_check", "save_answer"]
    assert isinstance(message.content, TextContent)
    assert "免責は?" in message.content.text
    assert (list(offered.values), offered.has_more) == ([], False)
