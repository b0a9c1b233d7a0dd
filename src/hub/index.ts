export { serveHub, type Hub, type HubOptions } from './serve.ts';
