import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { ErrorNote } from '../controls/error-note.tsx'
import { ReportView } from '../report/report-form.tsx'
import { RunsView } from '../runs/runs-view.tsx'
import { ConnectForm } from '../session/connect-form.tsx'
import { disconnect, gateway, hasKey, session, startFault, starting } from '../session/session.ts'
import { linkTo, type View, view } from './route.ts'

/** The views in the order of the navigation. The browser loads the code of some when somebody opens them. */
const VIEWS: Readonly<
  Record<View, { title: string; Component: ComponentType; needsNoLogin?: true }>
> = {
  report: { title: 'Report', Component: ReportView },
  month: {
    title: 'Close a month',
    Component: lazyView(async () => (await import('../month/month-view.tsx')).MonthView),
  },
  runs: { title: 'Runs', Component: RunsView },
  payments: {
    title: 'Payments',
    Component: lazyView(async () => (await import('../payments/payments-view.tsx')).PaymentsView),
  },
  sign: {
    title: 'Signature',
    Component: lazyView(async () => (await import('../sign/sign-view.tsx')).SignView),
    needsNoLogin: true,
  },
  diagnose: {
    title: 'Diagnosis',
    Component: lazyView(async () => (await import('../diagnose/diagnose-view.tsx')).DiagnoseView),
    needsNoLogin: true,
  },
}

export function Shell() {
  const current = view.value
  useEffect(() => {
    document.title = `${VIEWS[current].title} – Counterfoil`
  }, [current])
  useEffect(keepFocus, [current, session.value])
  const { environment, operationUrls } = gateway.value ?? {}
  const mayPay = operationUrls && (!session.value || hasKey.value)
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={linkTo('report')}>
          <Mark />
          <span>Counterfoil</span>
        </a>
        {environment && (
          <span class={`badge ${environment}`}>
            {environment === 'sandbox' ? 'Sandbox' : 'Production'}
          </span>
        )}
        <nav aria-label="Views">
          {Object.entries(VIEWS)
            .filter(([name]) => name !== 'payments' || mayPay)
            .map(([name, { title }]) => (
              <a key={name} href={`#/${name}`} aria-current={current === name ? 'page' : undefined}>
                {title}
              </a>
            ))}
        </nav>
        {session.value && (
          <span class="who">
            <span>{session.value.catalogue.login}</span>
            <button type="button" class="small" onClick={disconnect}>
              {hasKey.value ? 'Forget my key' : 'End the session'}
            </button>
          </span>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        {starting.value ? <p class="quiet">Asking the gateway …</p> : <Content />}
      </main>
      <footer>
        <a href="/.well-known/openapi.json">OpenAPI document</a>
      </footer>
    </>
  )
}

function Content() {
  const { Component, needsNoLogin } = VIEWS[view.value]
  // Callers sign for the address of the gateway that it publishes.
  const { origin } = new URL(gateway.value?.reportUrl ?? location.href)
  const proper = origin + location.pathname
  return (
    <>
      <ErrorNote error={startFault.value} />
      {origin !== location.origin && (
        <p class="note warn">
          Callers of this gateway sign for another address. Open the console there:{' '}
          <a href={proper}>{proper}</a>
        </p>
      )}
      {session.value || needsNoLogin ? <Component /> : <ConnectForm />}
    </>
  )
}

function lazyView(load: () => Promise<ComponentType>): ComponentType {
  const loaded = signal<{ readonly View?: ComponentType; readonly fault?: unknown }>({})
  return function LazyView() {
    useEffect(() => {
      void load().then(
        (View) => (loaded.value = { View }),
        (fault: unknown) => (loaded.value = { fault }),
      )
    }, [])
    const { View, fault } = loaded.value
    if (fault !== undefined) return <ErrorNote error={fault} />
    return View ? <View /> : <p class="quiet">Loading …</p>
  }
}

/** A button that disappears with its view takes the focus along: the keyboard goes on in the content. */
function keepFocus(): void {
  if (!starting.peek() && document.activeElement === document.body) {
    document.getElementById('main')?.focus({ preventScroll: true })
  }
}

/** The fragment holds the route, so the link moves the focus by itself. */
function focusMain(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect x="2" y="5" width="28" height="22" rx="4" fill="var(--accent)" />
      <path d="M12 5v22" stroke="var(--page)" stroke-width="2" stroke-dasharray="2.2 2.2" />
      <path d="M16 12h9M16 16h9M16 20h6" stroke="var(--page)" stroke-width="2" />
    </svg>
  )
}
