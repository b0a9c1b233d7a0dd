import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { firstPort, listen } from './_listen.ts';

function server(t: TestContext): Server {
  const made = createServer();
  t.after(() => made.close());
  return made;
}

test('each user has a first port', () => {
  assert.equal(firstPort(0), 37_800);
  assert.equal(firstPort(1000), 37_800);
  assert.equal(firstPort(1042), 37_842);
});

test('a taken port is skipped for the next free one, on loopback', async (t) => {
  const other = server(t);
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const taken = (other.address() as AddressInfo).port;
  const mine = server(t);
  const port = await listen(mine, taken);
  assert.ok(port > taken || taken > 65_435);
  assert.equal((mine.address() as AddressInfo).address, '127.0.0.1');
});

test('any free port is used after the last one', async (t) => {
  const port = await listen(server(t), 65_536);
  assert.ok(port > 0 && port < 65_536);
});
