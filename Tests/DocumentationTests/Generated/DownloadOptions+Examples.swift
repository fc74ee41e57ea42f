// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Session/DownloadOptions.swift
import BackgroundTransfer
import Foundation

private func example1() async throws {
  var options = DownloadOptions()
  options.checksum = "sha256:" + digest
  options.mirrors = mirrors
  options.bytesPerSecondMax = 2 * 1024 * 1024
  session.downloadTask(with: request, to: file, options: options).resume()
  _ = options
}
