// Imported first of all: libuv reads this once, when its pool is first used. Every running report holds one of
// these threads while it waits for the engine; with the usual four, four busy reports stop even file reads.
process.env['UV_THREADPOOL_SIZE'] ??= '40'
