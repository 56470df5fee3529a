/** Measures text in columns and fits it into them. */
export interface TextFit {
  width(text: string): number
  /** The rows of a text, each at most `columns` wide. */
  wrap(text: string, columns: number): readonly string[]
}

/** In JSON: a character beyond ASCII, or an escape other than that of a quote and of a backslash. */
const UNUSUAL = /[^ -~]|\\[^"\\]/

/**
 * What fits the texts of `data`. The tables of Unicode take longer to load than most verbs run, so printable ASCII that no
 * width wraps is measured without them.
 */
export async function textFitOf(data: unknown, columns: number | undefined): Promise<TextFit> {
  if (columns === undefined && !UNUSUAL.test(JSON.stringify(data))) return ASCII
  const [{ default: width }, { default: wrapAnsi }] = await Promise.all([
    import('string-width'),
    import('wrap-ansi'),
  ])
  return { width, wrap: (text, room) => wrapAnsi(text, room, { hard: true }).split('\n') }
}

/** Printable ASCII in rows of its own length. */
const ASCII: TextFit = {
  width: ({ length }) => length,
  wrap: (text) => [text.trim()],
}
