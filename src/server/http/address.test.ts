import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, checkEncryption, isLoopback, networkOf } from './address.ts';

const NONE = { tls: false, behindProxy: false, insecure: false };

test('IPv4, IPv6 and host names are parsed', () => {
  assert.deepEqual(addressOf('127.0.0.1:7437'), { host: '127.0.0.1', port: 7437 });
  assert.deepEqual(addressOf('[::]:443'), { host: '::', port: 443 });
  assert.deepEqual(addressOf('memory.example:0'), { host: 'memory.example', port: 0 });
});

test('an invalid address is refused with an example', () => {
  for (const text of ['', '7437', ':7437', '127.0.0.1', '127.0.0.1:99999', '::1:7437', 'a b:1'])
    assert.throws(() => addressOf(text), { code: 'usage', hint: /127\.0\.0\.1:7437/ }, text);
});

test('loopback needs neither TLS nor a flag', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) checkEncryption({ host, port: 1 }, NONE);
});

test('beyond loopback TLS, a proxy or a flag is required', () => {
  for (const host of ['0.0.0.0', '::', '192.168.0.2', 'memory.example', '127.0.0.1.example', '1127.0.0.1']) {
    assert.throws(
      () => checkEncryption({ host, port: 1 }, NONE),
      { code: 'usage', hint: /--tls-cert/ },
      host,
    );
    for (const flag of ['tls', 'behindProxy', 'insecure'])
      checkEncryption({ host, port: 1 }, { ...NONE, [flag]: true });
  }
});

test('loopback is recognised in both notations', () => {
  assert.equal(isLoopback('::ffff:127.0.0.1'), true);
  assert.equal(isLoopback('::ffff:10.0.0.1'), false);
});

test('limits count an IPv4 address or a /64 network of IPv6 as one client', () => {
  const networks: readonly (readonly [string, string])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff::9', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['not an address', 'not an address'],
  ];
  for (const [address, network] of networks) assert.equal(networkOf(address), network);
});
