// The key goes to the server once, in the body of a request, and nowhere else.
const form = document.querySelector('form');
const field = document.querySelector('#key');
const button = document.querySelector('button');
const problem = document.querySelector('#problem');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  problem.hidden = true;
  const failure = await login(field.value.trim());
  if (failure === undefined) return location.replace(new URL('./', import.meta.url));
  button.disabled = false;
  problem.textContent = failure;
  problem.hidden = false;
  field.select();
});

/** Returns what went wrong; undefined after a successful login. */
async function login(key) {
  try {
    const response = await fetch(new URL('./login', import.meta.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    });
    if (response.ok) return undefined;
    const { error } = await response.json();
    const { message } = error;
    return `${message[0].toUpperCase()}${message.slice(1)}.`;
  } catch {
    return 'The server does not answer.';
  }
}
