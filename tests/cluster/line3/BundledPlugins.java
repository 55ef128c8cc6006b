import java.util.List;
import java.util.stream.Stream;
import org.opensearch.Version;
import org.opensearch.analysis.common.CommonAnalysisModulePlugin;
import org.opensearch.painless.PainlessModulePlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.transport.Netty4ModulePlugin;

/** What a node of OpenSearch 3 loads, as it takes it. */
final class BundledPlugins {
    static final List<PluginInfo> ALL =
            Stream.of(
                            Netty4ModulePlugin.class,
                            CommonAnalysisModulePlugin.class,
                            PainlessModulePlugin.class)
                    .map(BundledPlugins::describe)
                    .toList();

    private BundledPlugins() {}

    private static PluginInfo describe(Class<? extends Plugin> plugin) {
        String name = plugin.getName();
        String java = Integer.toString(Runtime.version().feature());
        return new PluginInfo(
                name, "bundled", "0", Version.CURRENT, java, name, List.of(), false);
    }
}
