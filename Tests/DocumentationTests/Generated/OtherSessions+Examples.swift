// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/OtherSessions.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let (data, response) = try await URLSession.shared.data(from: url)
  if (response as? HTTPURLResponse)?.statusCode == 200 { print("\(data.count) bytes") }
}
