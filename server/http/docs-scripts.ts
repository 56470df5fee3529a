/** Colours of the reference page where the reader's system is dark; what is not named follows from these. */
const DARK = {
  page: '#16191c',
  panel: '#0e1012',
  raised: '#22272b',
  text: '#e3e6e8',
  quiet: '#aab2b8',
  line: '#3d454b',
  link: '#7cb7ff',
  /** Below white text. */
  button: '#2160c4',
  green: '#6fcf7c',
  red: '#ff8f85',
  amber: '#e8b65a',
} as const

const REDOC_DARK = {
  colors: {
    primary: { main: DARK.button },
    success: { main: DARK.green },
    warning: { main: DARK.amber, contrastText: DARK.page },
    error: { main: DARK.red },
    gray: { 50: DARK.raised, 100: DARK.raised },
    text: { primary: DARK.text, secondary: DARK.quiet },
    border: { dark: DARK.line, light: DARK.line },
    responses: {
      success: { color: DARK.green, backgroundColor: DARK.raised, tabTextColor: DARK.green },
      error: { color: DARK.red, backgroundColor: DARK.raised, tabTextColor: DARK.red },
      redirect: { color: DARK.amber, backgroundColor: DARK.raised, tabTextColor: DARK.amber },
      info: { color: DARK.link, backgroundColor: DARK.raised, tabTextColor: DARK.link },
    },
  },
  schema: {
    linesColor: DARK.line,
    nestedBackground: DARK.raised,
    typeNameColor: DARK.quiet,
    typeTitleColor: DARK.quiet,
    requireLabelColor: DARK.red,
    arrow: { color: DARK.quiet },
  },
  typography: {
    code: { color: DARK.amber, backgroundColor: DARK.raised },
    links: { color: DARK.link, visited: DARK.link, hover: DARK.text },
  },
  sidebar: { backgroundColor: DARK.panel, textColor: DARK.text, activeTextColor: DARK.link },
  rightPanel: { backgroundColor: DARK.panel, textColor: DARK.text },
  codeBlock: { backgroundColor: DARK.raised },
  fab: { backgroundColor: DARK.raised, color: DARK.link },
}

/** Style of the reference page: where its program paints in the colours of the light theme under any theme. */
export const REDOC_STYLE = `@media (prefers-color-scheme: dark) {
  html { color-scheme: dark; background: ${DARK.page}; }
  #page h5, #page h5 span { color: ${DARK.quiet} !important; }
  #page td { border-color: ${DARK.line} !important; }
  #page td div { background-color: transparent !important; }
  #page td span, #page td p { color: ${DARK.text} !important; }
  #page td div > span:first-child { color: ${DARK.quiet} !important; }
  #page a[download] { color: ${DARK.link} !important; border-color: ${DARK.link} !important; }
  #page .react-tabs__tab { background: ${DARK.panel} !important; border-color: ${DARK.line} !important; }
  #page .react-tabs__tab--selected { background: ${DARK.raised} !important; }
  #page .token.number, #page .token.boolean { color: ${DARK.amber} !important; }
  #page svg polygon { fill: ${DARK.quiet}; }
}
`

/** Style of the interactive page: a text that its own dark form leaves as it was. */
export const SWAGGER_STYLE = `html.dark-mode .swagger-ui table.headers td { color: inherit; }
`

/** Starts the interactive page, which follows the reader's choice of light or dark, also when it changes. */
export const SWAGGER_START = `const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
window.ui = SwaggerUIBundle({ url: 'openapi.json', dom_id: '#page', deepLinking: true, validatorUrl: null, syntaxHighlight: { theme: 'tomorrow-night' } })
`

/** Starts the reference page. Its program takes colours at the start only, so a change of the reader's choice starts it again. */
export const REDOC_START = `const dark = matchMedia('(prefers-color-scheme: dark)')
dark.addEventListener('change', () => location.reload())
const theme = dark.matches ? ${JSON.stringify(REDOC_DARK)} : {}
Redoc.init('openapi.json', { disableSearch: false, hideDownloadButton: false, theme }, document.getElementById('page'))
`
