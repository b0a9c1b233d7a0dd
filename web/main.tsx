/** The hub's page. Everything it shows came from the daemon, and all of it is shown as text. */
import { render } from 'preact';
import { App } from './app.tsx';
import './main.css';

const root = document.getElementById('app');
if (root) render(<App />, root);
