/** Where the focus was, from the inside out: the ids of what surrounds it, and of what opened that. */
let trail = []

/** Remembers the focus, so that it can be given back when what had it is removed. */
export function followFocus() {
  document.addEventListener('focusin', ({ target }) => {
    trail = []
    for (let at = target; at; at = at.parentElement) {
      trail.push(...[at.id, at.dataset.back].filter(Boolean))
    }
  })
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget === null && target.isConnected) {
      queueMicrotask(() => {
        if (target.isConnected && document.hasFocus()) trail = []
      })
    }
  })
}

/** After a change of the page: the nearest thing that is still there gets a lost focus. */
export function giveFocusBack() {
  if (document.activeElement !== document.body || trail.length === 0) return
  for (const id of trail) {
    const found = document.getElementById(id)
    const place =
      found?.tabIndex >= 0 || found?.hasAttribute('tabindex')
        ? found
        : found?.querySelector(':scope > summary')
    if (!place) continue
    const kept = trail
    place.focus({ preventScroll: true })
    if (document.activeElement === place) return
    trail = kept
  }
}
