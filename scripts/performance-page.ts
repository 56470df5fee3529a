import type { KeptFigure, KeptFigures } from './kept-figures.ts'
import { table } from './markdown.ts'
import { whyMissed } from './missed-goals.ts'
import type { KeptPlot } from './pictures/kept-plots.ts'

/** docs/performance.md: every kept figure with its goal, what it is beside and the command that repeats it. */
export function performancePage(
  { machine, subjects }: KeptFigures,
  plots: readonly Pick<KeptPlot, 'file' | 'alternative'>[],
): string {
  const all = Object.values(subjects).flatMap(({ figures }) => figures)
  const pictures = plots.map(({ file, alternative }) => `\n![${alternative}](pictures/${file})\n`)
  const missed = all.filter((figure) => !isKept(figure))
  const sections = Object.entries(subjects).map(
    ([subject, { taken, node, version, load, figures, missing }]) =>
      [
        `\n## ${subject}\n\n\`satchel bench ${subject}\`, satchel ${version}, Node.js ${node}, ${taken}, load ${load}.\n\n`,
        table(['figure', 'what', 'goal', 'floor or peer', 'ours', 'ratio', ''], figures.map(rowOf)),
        ...reasonsFor(figures),
        missing.length === 0 ? '' : '\nNot measured:\n\n',
        ...missing.map(({ peer, reason }) => `- ${peer}: ${reason.replaceAll('\n', ' ')}\n`),
      ].join(''),
  )
  return `${INTRODUCTION}
Machine: ${machine.cpus} cores, ${machine.model}, ${machine.memory_gib} GiB, ${machine.system}. ${all.length} figures, ${missed.length} of them missed.
${pictures.join('')}${sections.join('')}`
}

const INTRODUCTION = `# Performance

What satchel takes beside other programs, bare loops and limits, each measured in one run. Written by \`npm run generate\` from
[bench/latest.json](bench/latest.json); no figure is typed in. The ratio is ours by theirs: of a time, less is better
(goal \`≤\`); of a rate, more is better (goal \`≥\`). Where both took turns in several rounds, the best of each side is shown with
its median in brackets. A goal that is missed says so, and why below its table. The command above each table repeats it;
\`satchel bench … --json | node --import ./scripts/typescript.mjs scripts/keep-figures.ts …\` keeps what it printed.
`

function rowOf(figure: KeptFigure): readonly string[] {
  const { name, what, unit, against_what, ratio, goal, sense, spread, ours, against } = figure
  const side = (value: number, median: number | undefined): string =>
    `${short(value)}${median === undefined ? '' : ` (${short(median)})`}`
  return [
    `\`${name}\``,
    what,
    `${sense === 'at_most' ? '≤' : '≥'} ${short(goal)}`,
    `${against_what}: ${side(against, spread?.against.median)} ${unit}`,
    side(ours, spread?.ours.median),
    short(ratio),
    isKept(figure) ? '' : 'missed',
  ]
}

/** Why goals are missed, once for figures that share a reason. */
function reasonsFor(figures: readonly KeptFigure[]): readonly string[] {
  const reasons = new Set(figures.flatMap((figure) => (isKept(figure) ? [] : (whyMissed(figure.name) ?? []))))
  if (reasons.size === 0) return []
  const lines = [...reasons].map(
    ({ figure, why }) => `- \`${figure}${figure.endsWith('.') ? '*' : ''}\`: ${why}\n`,
  )
  return ['\nMissed, and what was tried:\n\n', ...lines]
}

function isKept({ ratio, goal, sense }: KeptFigure): boolean {
  return sense === 'at_most' ? ratio <= goal : ratio >= goal
}

function short(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2)
}
