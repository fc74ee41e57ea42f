// swift-format-ignore-file
// Made by `make examples` of the documentation in
// Sources/BackgroundTransfer/Documentation.docc/KnowingWhichTaskIsWhich.md
import BackgroundTransfer
import Foundation

private func example1() async throws {
  let library = URLSession(configuration: .background(withIdentifier: "org.example.library"))
  _ = library
}

private func example2() async throws {
  struct Chapter: Codable {
    var book: String
    var number: Int
  }

  let newTask = session.downloadTask(with: url)
  newTask.userInfo = try JSONEncoder().encode(Chapter(book: "Kettles", number: 3))
  newTask.taskDescription = "Kettles, chapter 3"
  newTask.resume()
  for task in await session.allTasks {
    guard let data = task.userInfo else { continue }
    let chapter = try JSONDecoder().decode(Chapter.self, from: data)
    print(chapter.book, chapter.number, task.state, task.countOfBytesReceived)
  }
  _ = newTask
}

private func example3() async throws {
  let place = URL(filePath: "/srv/books/Kettles/3.pdf")
  session.downloadTask(with: url, to: place, onConflict: .replace).resume()
  _ = place
}

private func example4() async throws {
  let presented = session.downloadTask(with: url)
  presented.updateTitle("Kettles", subtitle: "Chapter 3 of 12")
  presented.resume()
  _ = presented
}
