import { type Host, isSatchelError } from '../../../server/plugin.ts'
import type { RoomWorld } from './clock.ts'
import type { RoomProcess } from './room-process.ts'

const REOPEN_MS = 30_000

/**
 * Opens the room of a server; resolves after the first attempt. Where that fails, each call of the room reports the reason,
 * and everything else is served. The room is tried again until it is open: until then invitations of this machine are
 * refused and edits of the file make no version, although the server runs.
 * Errors: what the first attempt threw that is not a refusal.
 */
export async function openServed(
  { connection, yieldRoom }: Pick<RoomProcess, 'connection' | 'yieldRoom'>,
  { log, closing }: Pick<Host, 'log' | 'closing'>,
  { after = afterTimeout }: Pick<RoomWorld, 'after'>,
): Promise<void> {
  let told: string | undefined
  const again = (): void => {
    if (closing.aborted) return
    attempt().catch((error) => log.error('the room is not tried again', { error }))
  }
  const attempt = async (): Promise<void> => {
    try {
      await connection.reach()
    } catch (thrown) {
      if (!isSatchelError(thrown)) throw thrown
      if (told !== thrown.message)
        log.error(`the room is not open: ${thrown.message}`, { reason: thrown.reason })
      told = thrown.message
      after(REOPEN_MS, again)
      return
    }
    if (closing.aborted)
      await yieldRoom() // this process stopped meanwhile
    else if (told !== undefined) log.warn('the room is open')
  }
  await attempt()
}

function afterTimeout(ms: number, action: () => void): void {
  setTimeout(action, ms).unref()
}
