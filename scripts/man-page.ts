import { overview } from '../server/cli/help.ts'
import { HOST_VERBS } from '../server/cli/host-verbs.ts'
import { leavesOf, shapeOf } from '../server/cli/plugin-verbs.ts'
import { parseVerb } from '../server/cli/verb-parser.ts'
import type { RunningHost } from '../server/host.ts'
import { DESCRIPTION, VERSION } from '../server/version.ts'

/** Manual pages are laid out for 80 columns with a margin of 7. */
const COLUMNS = 72

/** `satchel(1)` in roff: the overview and the help of every verb, as the program prints them. */
export async function manPage({ registry }: RunningHost): Promise<string> {
  const ofHost = (await Promise.all(HOST_VERBS.map((row) => row.load()))).flat()
  const shapes = [...leavesOf(registry).map(shapeOf), ...ofHost].sort((a, b) =>
    a.path.join(' ') < b.path.join(' ') ? -1 : 1,
  )
  const verbs = shapes.flatMap((shape) => {
    const parsed = parseVerb(shape, ['--help'], COLUMNS)
    return parsed.kind === 'help'
      ? [`.SS satchel ${shape.path.join(' ')}`, literal(ownPart(parsed.text))]
      : []
  })
  return [
    `.TH SATCHEL 1 "" "satchel ${VERSION}"`,
    `.SH NAME\nsatchel \\- ${escaped(DESCRIPTION)}`,
    `.SH SYNOPSIS\n.B satchel\n.I verb\n[options]`,
    `.SH OVERVIEW\n${literal(overview(COLUMNS))}`,
    `.SH VERBS`,
    ...verbs,
    '',
  ].join('\n')
}

/** The help of a verb without the options that every verb has. */
function ownPart(text: string): string {
  return text.replace(/\nGlobal options:\n[\s\S]*?(?=\n\n|$)/, '')
}

/** Text that keeps its lines. */
function literal(text: string): string {
  return `.nf\n${escaped(text.trimEnd())}\n.fi`
}

/** Text in which roff finds no request, no escape and no character beyond ASCII. */
function escaped(text: string): string {
  const plain = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
  return plain.replace(
    /[^\n -~]/gu,
    (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}
