import java.util.List;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/** What a node of OpenSearch 2 loads, as it takes it. */
final class BundledPlugins {
    static final List<Class<? extends Plugin>> ALL =
            List.of(Netty4Plugin.class, CommonAnalysisPlugin.class, PainlessPlugin.class);

    private BundledPlugins() {}
}
