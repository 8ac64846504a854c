import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ErrorNote } from '../shell/error-note.tsx'
import { texts } from '../texts.ts'
import './api.css'
import { type OpenApi, loadOpenApi, METHODS } from './openapi.ts'
import { OperationEntry } from './operation-entry.tsx'
import { RichText } from './rich-text.tsx'

const loaded = signal<{ readonly document?: OpenApi; readonly fault?: unknown }>({})

/** Shows what the gateway says of its paths: its OpenAPI document. */
export function ApiView() {
  useEffect(() => {
    void loadOpenApi().then(
      (document) => (loaded.value = { document }),
      (fault: unknown) => (loaded.value = { fault }),
    )
  }, [])
  const { document, fault } = loaded.value
  if (fault !== undefined) return <ErrorNote error={fault} />
  if (!document) return <p class="quiet">{texts.shell.loading}</p>
  const { info, paths } = document
  return (
    <section class="panel api">
      <header>
        <h1>{texts.api.title}</h1>
        <a href="/.well-known/openapi.json" download="openapi.json">
          {texts.api.download}
        </a>
      </header>
      <p class="lead">
        <RichText text={`${info.title} ${info.version}. ${info.description ?? ''}`} />
      </p>
      {Object.entries(paths).flatMap(([path, item]) =>
        METHODS.flatMap((method) => {
          const operation = item[method]
          if (!operation) return []
          const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
          return [
            <OperationEntry
              key={`${method} ${path}`}
              document={document}
              path={path}
              method={method}
              operation={{ ...operation, parameters }}
            />,
          ]
        }),
      )}
    </section>
  )
}
