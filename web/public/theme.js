// Runs before the first paint, so that the other theme does not flash.
const stored = localStorage.getItem('tidemark-theme');
if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
