variable "good" {
}
