/** The members of an OpenAPI 3.1 document that the view shows. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly paths: Readonly<Record<string, PathItem>>
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete']

export type PathItem = { readonly [method in Method]?: Operation } & {
  readonly parameters?: readonly (Parameter | Ref)[]
}

export interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly object[]
  readonly parameters?: readonly (Parameter | Ref)[]
  readonly requestBody?: Body | Ref
  readonly responses?: Readonly<Record<string, Body | Ref>>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly example?: unknown
}

/** A request body or a response. */
export interface Body {
  readonly description?: string
  readonly headers?: Readonly<Record<string, Omit<Parameter, 'name' | 'in'> | Ref>>
  readonly content?: Readonly<Record<string, Content>>
}

export interface Content {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown } | Ref>>
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
  readonly [keyword: string]: unknown
}

export interface Ref {
  readonly $ref: string
}

/** Loads the document of the gateway that served this page. */
export async function loadOpenApi(): Promise<OpenApi> {
  const response = await fetch('/.well-known/openapi.json')
  if (!response.ok) throw new Error(`status ${response.status}`)
  // The gateway that served this page is trusted.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (await response.json()) as OpenApi
}

/** Follows a reference within the document, such as `#/components/schemas/Run`. */
export function resolve<T extends object>(document: OpenApi, value: T | Ref): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T
  const names = value.$ref.replace('#/', '').split('/')
  const found = names.reduce<unknown>((members, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    return Object.entries(members ?? {}).find(([member]) => member === key)?.[1]
  }, document)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (found ?? {}) as T
}
