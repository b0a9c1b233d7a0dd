// A stand-in for the embedder's process in tests: counts letters instead of running a model. `die` makes it crash.
process.on('disconnect', () => process.exit(0));
process.send({ ready: true, runtime: 'fake' });
process.on('message', ({ id, texts, pairs }) => {
  if (id === undefined) return undefined;
  const asked = texts ?? pairs.map(({ a, b }) => a + b);
  if (asked.includes('die')) process.exit(7);
  if (asked.includes('fail')) return process.send({ id, error: 'cannot' });
  if (asked.includes('hang')) return undefined;
  process.send({ id, rows: asked.map((text) => Float32Array.of(text.length, process.pid)) });
});
