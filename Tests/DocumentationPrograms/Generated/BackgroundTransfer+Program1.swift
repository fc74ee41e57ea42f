// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/BackgroundTransfer.md
import BackgroundTransfer
import Foundation

@MainActor
func runBackgroundTransfer1() async throws {
  let session = URLSession(configuration: .background(withIdentifier: "org.example.books"))
  guard let url = URL(string: "\(Place.origin)/books/17.pdf") else { exit(2) }
  let place = URL(filePath: "\(Place.root)/books/17.pdf")
  let book = try await session.download(from: url, to: place, onConflict: .skip)
  print("It is at \(book.path(percentEncoded: false))")
  _ = session
  _ = place
  _ = book
}
