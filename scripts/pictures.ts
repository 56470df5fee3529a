/** Writes the pictures of README.md into docs/pictures: a terminal session that is played here with the built program. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordSession } from './pictures/session.ts'
import { sessionPicture } from './pictures/terminal-svg.ts'

const folder = mkdtempSync(join(tmpdir(), 'satchel-pictures-'))
try {
  mkdirSync('docs/pictures', { recursive: true })
  writeFileSync('docs/pictures/session.svg', sessionPicture(await recordSession(folder)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
