/** Reports whether the header `Accept` names an event stream. Media types have no case (RFC 9110, section 8.3.1). */
export function takesEventStream(accept: string): boolean {
  return accept.toLowerCase().includes('text/event-stream')
}
