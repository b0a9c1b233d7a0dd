/** Opens an address in the user's browser. */
import { spawn } from 'node:child_process';

/** Uses the platform's opener; without one the printed link must do. */
export function openInBrowser(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  spawn(opener, [url], { detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}

/** Whether a browser on this machine would appear before the user: not over SSH, and not without a display. */
export function hasBrowser(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (env['SSH_CONNECTION'] || env['CI']) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
}
