import { defineRefusals } from '../contract/refusals.ts'

/** The refusals of the HTTP door itself; those of tools pass through unchanged. */
export const refusals = defineRefusals({
  route_not_found: {
    code: 'not_found',
    message: 'There is no such route.',
    next: 'GET / lists what is served.',
  },
  no_route_at_listener: {
    code: 'not_found',
    reason: 'route_not_found',
    message: 'There is no such route.',
    next: 'GET {path} describes this listener.',
  },
  no_route: { code: 'not_found', reason: 'route_not_found', message: 'There is no such route.' },
  method_not_allowed: { code: 'invalid', message: 'This route takes {methods}.' },
  host_not_allowed: {
    code: 'forbidden',
    message: 'This listener does not answer to that Host header.',
    next: 'Use its own address.',
  },
  origin_not_allowed: {
    code: 'forbidden',
    message: 'Pages of another origin may not call this server.',
  },
  foreign_page: {
    code: 'forbidden',
    reason: 'origin_not_allowed',
    message: 'Only a page of this server may send its cookie with a request that changes something.',
  },
  unmarked_page: {
    code: 'forbidden',
    reason: 'origin_not_allowed',
    message: 'The request does not prove that a page of this server made it.',
    next: 'Send the header X-Satchel-Request: 1 from a page of this server.',
  },
  unauthorized: {
    code: 'unauthorized',
    message: 'A valid credential is needed.',
    next: 'Send Authorization: Bearer TOKEN.',
  },
  bearer_refused: {
    code: 'unauthorized',
    reason: 'unauthorized',
    message: 'The bearer token is malformed, or the server does not know it.',
    next: 'Send Authorization: Bearer TOKEN, with a token that is valid here.',
  },
  token_needed: {
    code: 'unauthorized',
    reason: 'unauthorized',
    message: 'The server cannot prove that this caller is the user who runs it.',
    next: 'Send Authorization: Bearer TOKEN, with the token that the server printed at its start or was given as http.token.',
  },
  bad_request: { code: 'invalid', message: 'The request target or the Host header is malformed.' },
  header_repeated: {
    code: 'invalid',
    reason: 'bad_request',
    message: 'The header {header} is there more than once.',
    next: 'Send it once, with one value.',
  },
  parameter_repeated: {
    code: 'invalid',
    reason: 'bad_request',
    message: 'The parameter {name} is in the address more than once.',
    next: 'Send it once, with one value.',
  },
  unparsed: {
    code: 'invalid',
    reason: 'bad_request',
    message: 'The request is not valid HTTP/1.1.',
    next: 'Percent-encode its address, send each header on one line, and one length of the body.',
  },
  head_too_large: {
    code: 'invalid',
    message: 'The address and the headers are together larger than {max_bytes} bytes.',
    next: 'Send less, or send long input in the body of a POST.',
  },
  head_timeout: {
    code: 'invalid',
    message: 'The headers did not arrive in time.',
    next: 'Send the request again.',
  },
  bad_escape: {
    code: 'invalid',
    reason: 'bad_request',
    message: 'The {part} has a % that begins no escape of UTF-8 text.',
    next: 'Send a % itself as %25.',
  },
  one_tag: {
    code: 'invalid',
    reason: 'bad_request',
    message: 'If-Match must be one entity tag here.',
    next: 'Send the ETag of the answer that you read.',
  },
  media_type: { code: 'invalid', message: 'The body has the wrong type.', next: 'Send it as {accepted}.' },
  body_missing: {
    code: 'invalid',
    reason: 'media_type',
    message: 'The request has no body.',
    next: 'Send an object as {accepted}.',
  },
  encoded_body: {
    code: 'invalid',
    reason: 'media_type',
    message: 'The body is compressed.',
    next: 'Send it without a content encoding.',
  },
  body_timeout: { code: 'invalid', message: 'The body did not arrive in time.', next: 'Send it again.' },
  limit_exceeded: {
    code: 'too_large',
    message: 'The body is larger than {max_bytes} bytes.',
    next: 'Send less.',
  },
  not_utf8: { code: 'invalid', message: 'The body is not UTF-8.' },
  body_not_json: { code: 'invalid', message: 'The body is not JSON.' },
  body_empty: {
    code: 'invalid',
    reason: 'body_not_json',
    message: 'The body is empty.',
    next: 'Send a JSON object.',
  },
  too_deep: { code: 'invalid', message: 'The body nests deeper than {levels} levels.' },
  too_many_values: {
    code: 'too_large',
    message: 'The body has more than {values} values.',
    next: 'Send less.',
  },
  unknown_argument: {
    code: 'invalid',
    message: '{method} takes its input in the body, not "{name}" in the query.',
  },
  invalid_arguments: {
    code: 'invalid',
    message: 'topics: at most {count} URI prefixes of {chars} characters.',
  },
  disconnected: { code: 'cancelled', message: 'The client closed the connection.' },
  stopping: {
    code: 'unavailable',
    message: 'The server is stopping.',
    next: 'Try again in a few seconds.',
  },
  too_many_requests: {
    code: 'rate_limited',
    message: 'This address sends more than {rate} requests a second.',
    next: 'Send the next one after {seconds} s.',
  },
  too_many_streams: {
    code: 'unavailable',
    message: 'Too many streams are open.',
    next: 'Try again in a few seconds.',
  },
  assets_missing: { code: 'unavailable', message: 'The files of this page are not installed.' },
  name_taken: {
    code: 'conflict',
    message: '{address} is served by both "{first}" and "{second}".',
    next: 'Rename it in one of the two, or list only one plugin.',
  },
  port_busy: {
    code: 'unavailable',
    message: 'The {listener} listener cannot use {place}: it is taken.',
    next: 'Choose another port.',
  },
  cannot_listen: {
    code: 'unavailable',
    message: 'The {listener} listener cannot listen at {place} ({error}).',
    next: 'Choose an address of this machine, and a port that this user may open.',
  },
  socket_taken: {
    code: 'unavailable',
    reason: 'port_busy',
    message: 'The {listener} listener cannot use its socket: the path is taken, by another server or a file.',
    next: 'Choose another path.',
  },
  cannot_listen_at_socket: {
    code: 'unavailable',
    reason: 'cannot_listen',
    message: 'The {listener} listener cannot listen at its socket ({error}).',
    next: 'Choose a short path in a folder that is there and that this user may write.',
  },
})
