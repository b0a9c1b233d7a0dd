/** Reads all of stdin without blocking the process, so that the deadline holds even if the pipe never ends. */

/** Far beyond any hook input; what is longer is no event. */
const BODY_LIMIT = 64 * 1024 * 1024;

/** Undefined when there is more than an event can be. */
export function readBody(stdin: NodeJS.ReadStream): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stdin.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_LIMIT) return resolve(undefined);
      chunks.push(chunk);
    });
    stdin.on('end', () => resolve(Buffer.concat(chunks)));
    stdin.on('error', () => resolve(Buffer.concat(chunks)));
  });
}
