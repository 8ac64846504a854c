import { useEffect } from 'preact/hooks'
import { ConnectForm } from '../session/connect-form.tsx'
import { gateway, properAddress } from '../session/gateway.ts'
import { disconnect, hasKey, session } from '../session/session.ts'
import { startFault, starting } from '../session/start.ts'
import { texts } from '../texts.ts'
import { ErrorNote } from './error-note.tsx'
import { linkTo, route, type View } from './route.ts'
import { viewOf } from './view-of.tsx'

/** The frame of every view: who the gateway is, who you are, and the way to the other views. */
export function Shell() {
  const current = route.value.view
  useEffect(() => {
    document.title = `${texts.views[current]} – Counterfoil`
  }, [current])
  useEffect(keepFocus, [current, session.value])
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        {texts.shell.skip}
      </a>
      <header class="top">
        <a class="brand" href={linkTo('report')}>
          <Mark />
          <span>Counterfoil</span>
        </a>
        {gateway.value && (
          <span class={`badge ${gateway.value.environment}`}>
            {texts.shell.environments[gateway.value.environment]}
          </span>
        )}
        <nav aria-label={texts.shell.views}>
          {viewsHere().map((view) => (
            <a key={view} href={linkTo(view)} aria-current={current === view ? 'page' : undefined}>
              {texts.views[view]}
            </a>
          ))}
        </nav>
        {session.value && (
          <span class="who">
            <span>{session.value.catalogue.login}</span>
            <button type="button" class="small" onClick={disconnect}>
              {hasKey.value ? texts.shell.disconnect : texts.shell.endSession}
            </button>
          </span>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        <Content />
      </main>
      <footer>
        <a href="/.well-known/openapi.json">{texts.shell.openapi}</a>
      </footer>
    </>
  )
}

/** Views that need no login. */
const PUBLIC: readonly View[] = ['sign', 'diagnose']

function Content() {
  const { view } = route.value
  const own = gateway.value && properAddress(gateway.value)
  if (starting.value) return <p class="quiet">{texts.shell.starting}</p>
  return (
    <>
      {startFault.value !== undefined && <ErrorNote error={startFault.value} />}
      {own !== undefined && (
        <p class="note warn">
          {texts.shell.otherAddress} <a href={own}>{own}</a>
        </p>
      )}
      {session.value || PUBLIC.includes(view) ? viewOf(view) : <ConnectForm />}
    </>
  )
}

function viewsHere(): readonly View[] {
  const mayPay = gateway.value?.operationUrls && (!session.value || hasKey.value)
  const payments: readonly View[] = mayPay ? ['payments'] : []
  return ['report', 'month', 'runs', ...payments, 'sign', 'diagnose']
}

/** A button that disappears with its view takes the focus along: the keyboard goes on in the content. */
function keepFocus(): void {
  if (!starting.peek() && document.activeElement === document.body)
    focusContent({ preventScroll: true })
}

/** The fragment holds the route, so the link moves the focus by itself. */
function focusMain(event: MouseEvent): void {
  event.preventDefault()
  focusContent()
}

function focusContent(options?: FocusOptions): void {
  document.getElementById('main')?.focus(options)
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect x="2" y="5" width="28" height="22" rx="4" fill="currentColor" />
      <path d="M12 5v22" stroke="var(--page)" stroke-width="2" stroke-dasharray="2.2 2.2" />
      <path d="M16 12h9M16 16h9M16 20h6" stroke="var(--page)" stroke-width="2" />
    </svg>
  )
}
