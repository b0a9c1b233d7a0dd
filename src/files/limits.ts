/** How large files of several folders may be. A limit that only one module needs is stated there. */

const KB = 1024;
const MB = 1024 * KB;

/** Files of a few lines: a pid, a marker, a pointer, a key, the state of a service. The largest seen is a few KB. */
export const STATE_BYTES = 1 * MB;
/** A transcript. Sessions of weeks are hundreds of megabytes; a larger file costs minutes for each event. */
export const TRANSCRIPT_BYTES = 4 * KB * MB;
/** A file of the journal. A busy day is 1 MB, a month in the archive some tens. */
export const JOURNAL_BYTES = 64 * MB;
