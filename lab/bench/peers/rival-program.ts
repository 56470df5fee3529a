import { type OrderProcess, startOrderProcess } from '../../order-process.ts'

/**
 * What every script of ours for a rival begins with: it is text, because it imports packages that are in the cache only.
 * `serve` answers each line of standard input, an order in JSON, by one line.
 */
export const RIVAL_HEAD = `import { createInterface } from 'node:readline'
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
async function serve(orders) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { order, ...rest } = JSON.parse(line)
    say((order === 'ready' ? {} : await orders[order](rest)) ?? {})
  }
  process.exit(0)
}
const cpuOf = async (work) => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
`

/** Starts a script and waits until it is ready. The caller closes it. */
export async function startRival(command: readonly string[], cwd: string): Promise<OrderProcess> {
  const rival = startOrderProcess(command, { cwd })
  await rival.order('ready')
  return rival
}
