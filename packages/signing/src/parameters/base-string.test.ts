import { describe, expect, it } from 'vitest'
import { caught } from '../../test/caught.ts'
import { baseStringUrl, readQuery } from './base-string.ts'

describe('baseStringUrl', () => {
  it('writes scheme and host in lower case and keeps the path', () => {
    const url = 'HTTP://EXAMPLE.com:80/r%20v/X?id=123'
    expect(baseStringUrl(url)).toBe('http://example.com/r%20v/X')
    expect(baseStringUrl('https://example.com/A%2fB%2F/~c')).toBe('https://example.com/A%2fB%2F/~c')
  })

  it('drops a default port and keeps other ports', () => {
    expect(baseStringUrl('https://example.com:443/')).toBe('https://example.com/')
    expect(baseStringUrl('https://example.com:80/')).toBe('https://example.com:80/')
    expect(baseStringUrl('http://127.0.0.1:8080/a')).toBe('http://127.0.0.1:8080/a')
    expect(baseStringUrl('http://[::1]:443/a')).toBe('http://[::1]:443/a')
  })

  it('drops query and fragment, and writes an empty path as a slash', () => {
    expect(baseStringUrl('https://example.com?a=b#c')).toBe('https://example.com/')
    expect(baseStringUrl('https://example.com/a/#/?x')).toBe('https://example.com/a/')
  })

  it('refuses anything but an absolute http or https URL', async () => {
    const urls = [
      '',
      '/path',
      'example.com/path',
      'ftp://example.com/',
      'https://',
      'https:///path',
      'https://user:password@example.com/',
      'https://exa mple.com/',
      'https://example.com:99999/',
      `https://${'a'.repeat(301)}/`,
    ]
    for (const url of urls) {
      expect(await caught(() => baseStringUrl(url))).toMatchObject({ code: 'url' })
    }
  })

  it('keeps every other character of the path, in any version of the runtime', () => {
    const path = '/a^b{c}"<>`|[]!$&()*+,;=:@~%7e/...'
    expect(baseStringUrl(`https://example.com${path}`)).toBe(`https://example.com${path}`)
  })

  it('refuses a user name without showing it', async () => {
    for (const user of ['user', 'user:password', 'user%40x:']) {
      const error = await caught(() => baseStringUrl(`https://${user}@example.com/`))
      expect(error).toMatchObject({
        message: 'expected a URL without a user name or a password, got one with "@"',
      })
    }
  })

  it('names the character that HTTP does not allow in a URL', async () => {
    for (const url of ['https://example.com/?a=b c', 'https://example.com/?a\n', 'https://a/\t']) {
      const error = await caught(() => baseStringUrl(url))
      expect(error).toMatchObject({ message: expect.stringContaining('write %XX') })
    }
  })

  it('refuses a path that clients rewrite, and shows the rewritten path', async () => {
    for (const path of ['/a/../b', '/a/./../b', '/a/%2e%2E/b', '\\b', '/\tb']) {
      const error = await caught(() => baseStringUrl(`https://example.com${path}`))
      expect(error).toMatchObject({ code: 'url' })
    }
    for (const path of ['/a/..', '/.', '/a/%2E', '/é']) {
      const error = await caught(() => baseStringUrl(`https://example.com${path}`))
      expect(error).toMatchObject({ code: 'url' })
    }
    const error = await caught(() => baseStringUrl('https://example.com/é'))
    expect(error).toMatchObject({ message: expect.stringContaining('"/%C3%A9"') })
  })
})

describe('readQuery', () => {
  it('reads the query as a form, without the fragment', () => {
    expect(readQuery('https://example.com/?a=b+c&a=%20#d=e')).toEqual([
      ['a', 'b%20c'],
      ['a', '%20'],
    ])
    expect(readQuery('https://example.com/#?a=b')).toEqual([])
  })
})
