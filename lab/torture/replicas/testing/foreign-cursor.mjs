// A planted bug, loaded by a server before its program: it follows the owner of its room for a reader with the cursor of
// another room, which has had more events.
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

const FURTHER = 2
const { request } = http

http.request = (options, ...rest) => request({ ...options, path: led(options.path) }, ...rest)
syncBuiltinESMExports()

function led(path = '/') {
  return path.replace(
    /since_event_id=(\d{1,9})$/,
    (_, cursor) => `since_event_id=${Number(cursor) + FURTHER}`,
  )
}
