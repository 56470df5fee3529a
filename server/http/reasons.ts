/** Every reason that the HTTP door itself gives: the code it stands under, and when. The docs are made from it. */
export const REASONS = {
  route_not_found: ['not_found', 'Nothing is served at this path of this listener; `GET /` lists what is.'],
  method_not_allowed: ['invalid', 'Status 405: the path takes other methods; `Allow` names them.'],
  host_not_allowed: [
    'forbidden',
    'A room’s listener was called by a name that is neither loopback nor allowed.',
  ],
  origin_not_allowed: [
    'forbidden',
    'A page of another origin called, or one without the marks of our own page.',
  ],
  unauthorized: ['unauthorized', 'No credential, or one that nobody knows, where one is needed.'],
  bad_request: ['invalid', 'The request target or the Host header is malformed.'],
  media_type: [
    'invalid',
    'Status 415: the body is of another type than the route takes, or it is compressed.',
  ],
  body_timeout: ['invalid', 'Status 408: the body was not whole in time.'],
  limit_exceeded: ['too_large', 'The body is larger than the route takes.'],
  not_utf8: ['invalid', 'The body is not UTF-8.'],
  body_not_json: ['invalid', 'The body is not JSON.'],
  too_deep: ['invalid', 'The body nests deeper than 100 levels.'],
  unknown_argument: [
    'invalid',
    'The query holds input where the body does; or a field that the tool does not know.',
  ],
  invalid_arguments: [
    'invalid',
    'The input breaks the tool’s schema; `errors` holds a JSON pointer for each fault.',
  ],
  disconnected: ['cancelled', 'The client went away.'],
  stopping: ['unavailable', 'The server is stopping.'],
  too_many_streams: ['unavailable', 'No further stream fits; `Retry-After` says when to come again.'],
  assets_missing: ['unavailable', 'The files of the documentation pages are not installed.'],
  name_taken: ['conflict', 'A plugin lends an address that the host serves itself.'],
  port_busy: ['unavailable', 'Another program listens at the port.'],
  cannot_listen: ['unavailable', 'The address cannot be listened at.'],
} as const
