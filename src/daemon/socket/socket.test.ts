import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placesIn } from '../../core/index.ts';
import { socketPath } from './socket.ts';

test('on Windows the socket is a named pipe, the same for every spelling of the data folder', () => {
  const pipe = (home: string): string => socketPath({ home, socket: '' }, {}, 'win32');
  const [first] = ['C:\\Users\\Ada\\.tidemark'].map(pipe);
  assert.match(first ?? '', /^\\\\\.\\pipe\\tidemark-[a-z0-9]+$/);
  for (const other of [
    'c:\\users\\ada\\.tidemark',
    'C:/Users/Ada/.tidemark',
    'C:\\Users\\Ada\\x\\..\\.tidemark\\',
  ])
    assert.equal(pipe(other), first, other);
  assert.notEqual(pipe('C:\\Users\\Bob\\.tidemark'), first);
});

for (const platform of ['linux', 'darwin'] as const) {
  test(`on ${platform} a socket path that is too long moves to a private folder`, () => {
    const short = placesIn('/home/ada/.tidemark');
    assert.equal(socketPath(short, {}, platform), short.socket);
    const long = placesIn(`/home/${'a'.repeat(120)}/.tidemark`);
    const runtime = socketPath(long, { XDG_RUNTIME_DIR: '/run/user/7' }, platform);
    assert.match(runtime, /^\/run\/user\/7\/tidemark-\d+-\w+\/d\.sock$/);
    const deep = socketPath(long, { XDG_RUNTIME_DIR: `/run/${'x'.repeat(120)}` }, platform);
    assert.ok(Buffer.byteLength(deep) <= 103, 'sun_path of macOS');
  });
}
