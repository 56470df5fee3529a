/**
 * Lets real harnesses confirm `satchel setup`: `npm run harnesses:setup [-- CLIENT ...]`. Each is installed from npm into the
 * cache of the lab, set up in an empty home, asked for its servers, undone and asked again; the table of docs/clients.md is
 * written. Fails unless each says that satchel is connected after the setup and at no other time.
 */
import { CONFIRMATIONS, type Confirmation, confirm } from '../test/harnesses/confirmations.ts'
import { replaceBetween, table } from './markdown.ts'

const wanted = process.argv.slice(2)
const chosen = CONFIRMATIONS.filter(({ client }) => wanted.length === 0 || wanted.includes(client))
if (chosen.length === 0) throw new Error(`Names: ${CONFIRMATIONS.map(({ client }) => client).join(', ')}`)

const rows: string[][] = []
for (const each of chosen) rows.push(await rowOf(each))
if (chosen.length === CONFIRMATIONS.length)
  replaceBetween(
    'docs/clients.md',
    'setups',
    table(['client', 'version', 'says', 'before', 'after the setup', 'after the removal', 'its file'], rows),
  )

async function rowOf(each: Confirmation): Promise<string[]> {
  const { before, afterSetup, afterRemoval, removal, isExact } = await confirm(each)
  const said = [before, afterSetup, afterRemoval].map((isConnected) =>
    isConnected ? 'connected' : 'not there',
  )
  if (said.join() !== 'not there,connected,not there' || !isExact) process.exitCode = 1
  const means = each.connected ? '`mcp list`' : 'tools offered to its model'
  const row = [
    each.harness.name,
    each.harness.version,
    means,
    ...said,
    isExact ? removal : `${removal}, not exact`,
  ]
  console.log(row.join(' | '))
  return row
}
