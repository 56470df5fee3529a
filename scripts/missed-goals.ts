/** A figure, or several that begin alike, whose goal is missed. */
interface MissedGoal {
  /** The name of the figure, or how the names begin. */
  readonly figure: string
  /** Why, and what was tried, in two sentences or three. */
  readonly why: string
}

/** What the page of performance says below a table of a missed goal; of a goal that is kept it says nothing. */
const MISSED_GOALS: readonly MissedGoal[] = [
  {
    figure: 'mcp.rest.',
    why: 'An answer over MCP has two forms: the text is laid out, fenced and escaped beside the same data. Tried: one pass for each step, no second JSON of the data, fewer objects (decisions 130, 171, 191); what is left is spread over all steps. A copy of an answer for the next equal call would measure the copy.',
  },
  {
    figure: 'events.stalled.commit',
    why: 'A reader that stopped costs a full mailbox, once. The 99th percentile is that of the machine: two halves of the floor differ by more than the goal allows, and the medians are equal or better. Tried: pairs of rooms in turns.',
  },
  {
    figure: 'growth.1000.vectra',
    why: 'Most of a verb over 1,000 modules is starting the program and reading both lists, which a query of vectra alone does not do; over 20,000 the same verb is ahead of it. Tried: columns of vectors, fewer bytes for a search, prepared stems (decisions 119, 138, 156).',
  },
  {
    figure: 'growth.20000.p95',
    why: 'The 95th percentile is that of the few slowest searches, such as for words that no module has, and differs between runs: an earlier one kept the goal with 0.64. Tried: hot parts in memory, columns, work as the query needs it (decisions 68, 73, 156).',
  },
  {
    figure: 'handoff.scan',
    why: 'The worst megabyte is full of matches; each is cut out and judged, and what is left is searched again. Tried: one pass over the bytes for all words, sticky patterns, no copies (decision 176). Prose and code of that size take less than the limit.',
  },
  {
    figure: 'handoff.grown.search',
    why: 'A search reads the postings of each word and weighs every record that has one of them, so that it grows with the matches; among 100,000 records it stays below half a second of processor time. A profile shows no single place: counting words, weighing and sorting share it with the start of the program.',
  },
  {
    figure: 'handoff.start.list',
    why: 'As for the hook below: of two runs on one day the other one keeps the goal.',
  },
  {
    figure: 'handoff.start.hook',
    why: 'Starting Node.js and loading its own code is most of it, and differs between runs: the run of 10,000 records keeps the same figure. Tried: a part without tools, files that load together, compiled code that is kept (decisions 92, 128, 167). The kept run still loads the HTTP of Node.js, 3 ms of processor time that a start no longer takes.',
  },
  {
    figure: 'http.fan.out.lone',
    why: 'An event that is alone in its turn pays for the mailbox of each subscriber and for its bound; sixteen in a turn share that. The kept run is older than decision 236, with which three runs on another, slower machine gave 0.92 to 0.96.',
  },
  {
    figure: 'http.publish.last',
    why: 'The pump gives the event loop back after 256 readers, so that a publisher is held for 2 ms; the loop of writes holds it for some 20. What Node.js does at the end of a write then runs between the turns. Larger turns were not chosen: other calls would wait for them. After decision 236 six rounds on another machine gave 1.11.',
  },
  {
    figure: 'peers.start.bytes.',
    why: 'The list describes 20 tools. Of its 45 kB, 27 are schemas of outputs, by which clients check results; names, inputs and descriptions take 18. Left out already: fields that explain themselves, limits and bounds. `--profile core` lists 9 tools in 24 kB.',
  },
  {
    figure: 'peers.vectors.cpu.usearch',
    why: 'usearch answers approximately from a graph; satchel compares all vectors exactly, because hybrid ranking needs each similarity. Tried: columns, four sums, WebAssembly SIMD (decisions 156, 172), with which it is ahead of vectra, lancedb and sqlite-vec.',
  },
  {
    figure: 'peers.vectors.wall.usearch',
    why: 'As for its processor time: an approximate answer against an exact one.',
  },
  {
    figure: 'peers.journal.rate.node-sqlite',
    why: 'SQLite runs the four statements in native code; the room runs them in WebAssembly, and looks at the file before each change. Tried: savepoints and one encoding of a record (decision 173), which brought the ratio from 0.66 to 0.92.',
  },
  {
    figure: 'readers.prose',
    why: 'Most of the wait is time without a processor beside threads that analyze on two cores: in processor time of the thread that answers it is half the limit. Tried: readers in turns, parts of 2 KiB (decision 123).',
  },
  {
    figure: 'room.single.',
    why: 'A flush takes 0.06 ms on this disk, so that the processor decides: of a change, questions to the file system take 6 µs, four statements 8 and the record 4. Tried: savepoints, no copy of pages, fewer encodings (decision 173).',
  },
  {
    figure: 'room.document.bare',
    why: 'The room also makes rows, an event, a hash of the text and its JSON, 0.15 ms that the bare steps lack, beside flushes of 0.08 ms. Tried: one encoding of the text, a look at the file in parts (decision 173).',
  },
]

/** Why a goal is missed; undefined where nothing is written. */
export function whyMissed(name: string): MissedGoal | undefined {
  return MISSED_GOALS.find(({ figure }) => (figure.endsWith('.') ? name.startsWith(figure) : name === figure))
}
