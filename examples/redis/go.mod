module redis.example/fetcher

go 1.26.0

require github.com/seed1ea3422f/fetch v0.0.0

replace github.com/seed1ea3422f/fetch => ../..
