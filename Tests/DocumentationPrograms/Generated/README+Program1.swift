// swift-format-ignore-file
// Made by `make examples` of the documentation in
// README.md
import BackgroundTransfer
import Foundation

@MainActor
func runREADME1() async throws {
  let session = URLSession(configuration: .background(withIdentifier: "org.example.books"))
  guard let url = URL(string: "\(Place.origin)/disk.iso") else { exit(2) }
  let place = URL(filePath: "\(Place.root)/disk.iso")
  let file = try await session.download(from: url, to: place, onConflict: .skip)
  print("It is at \(file.path(percentEncoded: false))")
  _ = session
  _ = place
  _ = file
}
