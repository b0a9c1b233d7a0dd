// A stand-in for the embedder's process in tests: counts letters instead of running a model. `die` makes it crash.
process.on('disconnect', () => process.exit(0));
process.send({ ready: true, runtime: 'fake' });
process.on('message', ({ id, texts }) => {
  if (texts.includes('die')) process.exit(7);
  if (texts.includes('fail')) return process.send({ id, error: 'cannot' });
  if (texts.includes('hang')) return undefined;
  process.send({ id, vectors: texts.map((text) => Float32Array.of(text.length, process.pid)) });
});
