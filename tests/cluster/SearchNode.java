import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;

/** One OpenSearch node in a process of its own; settings are arguments of the form name=value. */
public class SearchNode extends Node {
    private SearchNode(Environment environment) {
        super(environment, BundledPlugins.ALL, false);
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> settings = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        Path config = Path.of(settings.get("path.home"), "config");
        Environment environment =
                InternalSettingsPreparer.prepareEnvironment(
                        Settings.EMPTY, settings, config, () -> settings.get("node.name"));
        LogConfigurator.configure(environment);
        Node node = new SearchNode(environment);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
        node.start();
        // Whoever started the node holds the other end: a node does not outlive its test run.
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    private static void close(Node node) {
        try {
            node.close();
        } catch (IOException refused) {
            refused.printStackTrace();
        }
    }
}
