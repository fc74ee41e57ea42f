// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/ForServers.md
import BackgroundTransfer
import Foundation

@MainActor
func runForServers1() async throws {
  /// The body of a job. Running it again continues the same download.
  func fetch(_ url: URL, to place: URL, with session: URLSession) async throws -> URL {
    try await session.download(from: url, to: place, onConflict: .skip)
  }
}
