/** The build bundles style sheets; they have no types. */
declare module '*.css';
