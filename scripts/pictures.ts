/** Writes docs/pictures with the built program: a terminal session that is played here, and plots of what is measured here. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FIGURES } from './pictures/figures.ts'
import { barPlot } from './pictures/plots.ts'
import { recordSession } from './pictures/session.ts'
import { sessionPicture } from './pictures/terminal-svg.ts'

const folder = mkdtempSync(join(tmpdir(), 'satchel-pictures-'))
try {
  mkdirSync('docs/pictures', { recursive: true })
  writeFileSync('docs/pictures/session.svg', sessionPicture(await recordSession(folder)))
  for (const [name, { words, plot }] of Object.entries(FIGURES)) {
    const measured = execFileSync(process.execPath, ['dist/satchel.js', ...words], { encoding: 'utf8' })
    writeFileSync(join('docs/pictures', name), barPlot(plot(JSON.parse(measured))))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
