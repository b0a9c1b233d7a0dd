/** The hub's page. Everything it shows came from the daemon, and all of it is shown as text. */
import { render } from 'preact';
import { App } from './app.tsx';
import './styles/base.css';
import './styles/frame.css';
import './styles/pieces.css';
import './styles/overview.css';
import './styles/lists.css';
import './styles/memory.css';
import './styles/care.css';

const root = document.getElementById('app');
if (root) render(<App />, root);
