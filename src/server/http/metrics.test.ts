import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

test('requests are counted by method, route and status', () => {
  const metrics = new Metrics();
  metrics.observe('GET', '/v1/me', 200, 0.004);
  metrics.observe('GET', '/v1/me', 200, 0.3);
  metrics.observe('GET', '/v1/me', 401, 0.001);
  const text = metrics.text();
  assert.match(text, /^tidemark_http_requests_total\{method="GET",route="\/v1\/me",status="200"\} 2$/m);
  assert.match(text, /^tidemark_http_requests_total\{method="GET",route="\/v1\/me",status="401"\} 1$/m);
});

test('histogram buckets are cumulative', () => {
  const metrics = new Metrics();
  for (const seconds of [0.004, 0.3, 99]) metrics.observe('POST', '/v1/search', 200, seconds);
  const line = (least: string) =>
    metrics
      .text()
      .match(new RegExp(`^tidemark_http_request_seconds_bucket\\{.*le="${least}"\\} (\\d+)$`, 'm'))?.[1];
  assert.equal(line('0\\.005'), '1');
  assert.equal(line('0\\.25'), '1');
  assert.equal(line('0\\.5'), '2');
  assert.equal(line('10'), '2');
  assert.equal(line('\\+Inf'), '3');
  assert.match(metrics.text(), /^tidemark_http_request_seconds_count\{.*\} 3$/m);
});

test('gauges are read with every scrape', () => {
  const metrics = new Metrics();
  const pool = { waiting: 1 };
  metrics.gauge('tidemark_pool_waiting', 'Waiting.', () => pool.waiting);
  assert.match(metrics.text(), /^tidemark_pool_waiting 1$/m);
  pool.waiting = 4;
  assert.match(metrics.text(), /^# TYPE tidemark_pool_waiting gauge\ntidemark_pool_waiting 4$/m);
});

test('a label cannot break out of its quotes', () => {
  const metrics = new Metrics();
  metrics.observe('GET', '/a"\n\\', 200, 1);
  assert.match(metrics.text(), /route="\/a\\"\\n\\\\",status/);
});
