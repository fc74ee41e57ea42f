// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Tasks/URLSessionTaskMetrics.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let isFresh = URLSessionTaskMetrics.ResourceFetchType.networkLoad
  _ = isFresh
}

private func example2() async throws {
  let isCurrent = tls_protocol_version_t.TLSv13
  _ = isCurrent
}

private func example3() async throws {
  let suite = tls_ciphersuite_t.AES_256_GCM_SHA384
  _ = suite
}
