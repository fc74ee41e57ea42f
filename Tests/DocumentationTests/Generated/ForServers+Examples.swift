// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/ForServers.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  configuration.launch = .noLaunch
  configuration.httpMaximumConnectionsPerHost = 4
  configuration.timeoutIntervalForResource = 24 * 60 * 60
}

private func example2() async throws {
  configuration.service = .embedded(directory: URL(filePath: "/var/lib/app/transfers"))
}
