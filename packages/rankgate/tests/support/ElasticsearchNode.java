import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginBundle;
import org.elasticsearch.plugins.PluginsLoader;

/** Starts a node of Elasticsearch 8 or 9 whose home is the folder that is named, and stays. */
public class ElasticsearchNode {
    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Settings settings = Settings.builder().put("path.home", home.toString()).build();
        LogConfigurator.configureESLogging();
        Environment environment =
                InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home.resolve("config"), () -> "node");
        LogConfigurator.configure(environment, true);
        PluginsLoader loader =
                PluginsLoader.createPluginsLoader(modules(environment.modulesDir()), Set.of(), Map.of(), false);
        new Node(environment, loader).start();
        new CountDownLatch(1).await();
    }

    /** Reads the modules of a folder; since 9.5 the server wants to know more than the folder. */
    @SuppressWarnings("unchecked")
    private static Set<PluginBundle> modules(Path folder) throws Exception {
        Method read =
                Arrays.stream(PluginsLoader.class.getMethods())
                        .filter(method -> method.getName().equals("loadModulesBundles"))
                        .findFirst()
                        .orElseThrow();
        Object[] values = read.getParameterCount() == 1 ? new Object[] {folder} : new Object[] {folder, false};
        return (Set<PluginBundle>) read.invoke(null, values);
    }
}
