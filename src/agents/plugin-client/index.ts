export { openPluginClient, type PluginClient, type PluginClientOptions } from './plugin-client.ts';
