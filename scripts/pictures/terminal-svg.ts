import stringWidth from 'string-width'
import { COLUMNS, type Recorded } from './session.ts'

const TITLE =
  'A terminal session: notes that survive a compaction, and a wrong call of a module that is found'
const CHAR_PX = 8
const LINE_PX = 19
const MARGIN_PX = 16

/** Colours on a light and on a dark page; the viewer's setting decides. */
const STYLE = `
  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; fill: #24292f }
  rect { fill: #f6f8fa; stroke: #d0d7de }
  .typed { font-weight: 600 }
  .said { fill: #57606a; font-style: italic }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    rect { fill: #161b22; stroke: #30363d }
    .said { fill: #9da7b3 }
  }
`

/** A recorded session as a picture of a terminal; each line takes the width that its characters have there. */
export function sessionPicture(steps: readonly Recorded[]): string {
  const lines = steps.flatMap(({ said, typed, shown }, at) => [
    ...(at > 0 && said !== undefined ? [{ text: '', kind: 'shown' }] : []),
    ...(said === undefined ? [] : [{ text: `# ${said}`, kind: 'said' }]),
    ...(typed === undefined ? [] : [{ text: `$ ${typed}`, kind: 'typed' }]),
    ...shown.map((text) => ({ text, kind: 'shown' })),
  ])
  const [width, height] = [COLUMNS * CHAR_PX + 2 * MARGIN_PX, lines.length * LINE_PX + 2 * MARGIN_PX]
  const drawn = lines.map(({ text, kind }, at) => lineOf(text, kind, MARGIN_PX + (at + 0.75) * LINE_PX))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${TITLE}</title>`,
    `<style>${STYLE}</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...drawn.filter((line) => line !== ''),
    '</svg>\n',
  ].join('\n')
}

function lineOf(text: string, kind: string, y: number): string {
  if (text === '') return ''
  const indent = text.length - text.trimStart().length
  const shown = text.slice(indent)
  const [x, length] = [MARGIN_PX + indent * CHAR_PX, stringWidth(shown) * CHAR_PX]
  return `<text class="${kind}" x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(shown)}</text>`
}

/** Text as it is written inside an element. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
