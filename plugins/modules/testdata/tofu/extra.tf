variable "extra" {
}
