/** Styles are bundled by the build; to the types they are nothing. */
declare module '*.css';
