// Before the first paint, so that nobody sees the other light for a moment.
const stored = localStorage.getItem('tidemark-theme');
if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
