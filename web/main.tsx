/** The hub's page. Shows everything from the server as text, never as markup. */
import { render } from 'preact';
import { App } from './app.tsx';
import { cleanShownText } from './plain-nodes.ts';
import './styles/base.css';
import './styles/frame.css';
import './styles/pieces.css';
import './styles/overview.css';
import './styles/lists.css';
import './styles/memory.css';
import './styles/manage.css';

cleanShownText();
const root = document.getElementById('app');
if (root) render(<App />, root);
